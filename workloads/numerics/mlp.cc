// SPDX-License-Identifier: Apache-2.0
//
// Forward and backward pass of the perceptron: three products per layer, the rest is elementwise.
#include "workloads/numerics/mlp.h"

#include <cstdlib>

#include "orchestrator/base/ensure.h"

namespace kneepoint::workloads {
namespace {

std::size_t count(Index n) {
  return static_cast<std::size_t>(n);
}

}  // namespace

void Gemm::Free::operator()(float* p) const {
  std::free(p);
}

Gemm::Gemm(const KernelSet& set) : set_(set), threads_(thread_count()) {
  const std::size_t bytes = static_cast<std::size_t>(set.gemm_workspace(threads_)) * sizeof(float);
  workspace_.reset(static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
  ENSURE(workspace_ != nullptr, "no memory for gemm's buffers");
}

void Gemm::multiply(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c) {
  set_.gemm(m, n, k, a, b, c, n, false, workspace_.get(), threads_);
}

Mlp::Mlp(MlpShape shape, Index most_samples) : shape_(shape) {
  parameters_.resize(count(shape.parameters()));
  outputs_.resize(count(shape.layers));
  for (auto& output : outputs_) output.resize(count(most_samples * shape.width));
  delta_.resize(count(most_samples * shape.width));
  next_delta_.resize(delta_.size());
}

void Mlp::forward(const float* input, Index samples) {
  ENSURE(count(samples * shape_.width) <= delta_.size(), "more samples than the network holds");
  const Index width = shape_.width;
  for (int layer = 0; layer < shape_.layers; ++layer) {
    const float* weights = parameters_.data() + layer * shape_.layer_parameters();
    const float* bias = weights + width * width;
    float* out = outputs_[count(layer)].data();
    gemm_.multiply(samples, width, width, row_major(input, width), row_major(weights, width), out);
    const bool last = layer + 1 == shape_.layers;
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < samples; ++i) {
      float* row = out + i * width;
#pragma omp simd
      for (Index j = 0; j < width; ++j) {
        const float z = row[j] + bias[j];
        row[j] = last || z > 0 ? z : 0;
      }
    }
    input = out;
  }
}

double Mlp::loss(const float* input, const float* target, Index samples) {
  forward(input, samples);
  const float* out = outputs_.back().data();
  double sum = 0;
  for (Index i = 0; i < samples * shape_.width; ++i) {
    const double difference = static_cast<double>(out[i]) - target[i];
    sum += difference * difference;
  }
  return sum / 2;
}

void Mlp::gradient(const float* input, const float* target, Index samples, float* gradient) {
  forward(input, samples);
  const Index width = shape_.width;
  const float* out = outputs_.back().data();
#pragma omp parallel for simd schedule(static)
  for (Index i = 0; i < samples * width; ++i) delta_[count(i)] = out[i] - target[i];
  for (int layer = shape_.layers - 1; layer >= 0; --layer) {
    const float* weights = parameters_.data() + layer * shape_.layer_parameters();
    float* to = gradient + layer * shape_.layer_parameters();
    const float* in = layer > 0 ? outputs_[count(layer - 1)].data() : input;
    gemm_.multiply(width, width, samples, transposed(in, width), row_major(delta_.data(), width),
                   to);
    float* bias = to + width * width;
    for (Index j = 0; j < width; ++j) bias[j] = 0;
    for (Index i = 0; i < samples; ++i) {
      const float* row = delta_.data() + i * width;
#pragma omp simd
      for (Index j = 0; j < width; ++j) bias[j] += row[j];
    }
    if (layer == 0) break;
    gemm_.multiply(samples, width, width, row_major(delta_.data(), width),
                   transposed(weights, width), next_delta_.data());
#pragma omp parallel for simd schedule(static)
    for (Index i = 0; i < samples * width; ++i) {
      delta_[count(i)] = in[i] > 0 ? next_delta_[count(i)] : 0;
    }
  }
}

std::vector<double> reference_gradient(MlpShape shape, const std::vector<float>& parameters,
                                       const float* input, const float* target, Index samples) {
  const Index width = shape.width;
  std::vector<double> gradient(count(shape.parameters()), 0.0);
  for (Index s = 0; s < samples; ++s) {
    std::vector<std::vector<double>> values(count(shape.layers + 1));
    values[0].assign(input + s * width, input + (s + 1) * width);
    for (int layer = 0; layer < shape.layers; ++layer) {
      const float* weights = parameters.data() + layer * shape.layer_parameters();
      auto& out = values[count(layer + 1)];
      out.resize(count(width));
      for (Index j = 0; j < width; ++j) {
        double z = weights[width * width + j];
        for (Index i = 0; i < width; ++i)
          z += values[count(layer)][count(i)] * weights[i * width + j];
        out[count(j)] = layer + 1 == shape.layers || z > 0 ? z : 0;
      }
    }
    std::vector<double> delta = values.back();
    for (Index j = 0; j < width; ++j) delta[count(j)] -= target[s * width + j];
    for (int layer = shape.layers - 1; layer >= 0; --layer) {
      const float* weights = parameters.data() + layer * shape.layer_parameters();
      double* to = gradient.data() + layer * shape.layer_parameters();
      const auto& in = values[count(layer)];
      std::vector<double> below(count(width), 0.0);
      for (Index i = 0; i < width; ++i) {
        for (Index j = 0; j < width; ++j) {
          to[i * width + j] += in[count(i)] * delta[count(j)];
          below[count(i)] += delta[count(j)] * weights[i * width + j];
        }
        if (in[count(i)] <= 0) below[count(i)] = 0;
      }
      for (Index j = 0; j < width; ++j) to[width * width + j] += delta[count(j)];
      delta = below;
    }
  }
  return gradient;
}

}  // namespace kneepoint::workloads

// SPDX-License-Identifier: Apache-2.0
#include "workloads/nccl/gemm_net.h"

namespace kneepoint::workloads {

GemmNet::GemmNet(const Device& device, cudaStream_t stream, NetShape shape,
                 std::int64_t most_samples)
    : device_(device),
      stream_(stream),
      shape_(shape),
      weights_(device, static_cast<std::size_t>(shape.parameters())),
      gradient_(device, static_cast<std::size_t>(shape.parameters())),
      input_(device, area(most_samples)),
      target_(device, area(most_samples)),
      delta_(device, area(most_samples)),
      next_delta_(device, area(most_samples)) {
  for (int layer = 0; layer < shape.layers; ++layer) {
    outputs_.push_back(std::make_unique<DeviceArray>(device, area(most_samples)));
  }
  device_.check(cublasCreate(&blas_), "cublasCreate");
  device_.check(cublasSetStream(blas_, stream), "cublasSetStream");
}

void GemmNet::load(const std::vector<float>& input, const std::vector<float>& target) {
  input_.write(input);
  target_.write(target);
}

void GemmNet::multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t columns,
                       std::int64_t inner, const float* a, const float* b, float* c) {
  const float one = 1, zero = 0;
  const int width = static_cast<int>(shape_.width);
  device_.check(cublasSgemm(blas_, op_a, op_b, width, static_cast<int>(columns),
                            static_cast<int>(inner), &one, a, width, b, width, &zero, c, width),
                "cublasSgemm");
}

void GemmNet::forward(std::int64_t samples) {
  const int count = static_cast<int>(area(samples));
  for (int layer = 0; layer < shape_.layers; ++layer) {
    multiply(CUBLAS_OP_N, CUBLAS_OP_N, samples, shape_.width, layer_of(weights_, layer),
             input_of(layer), outputs_[static_cast<std::size_t>(layer)]->data());
  }
  const float minus = -1;
  current_ = delta_.data();
  device_.check(cublasScopy(blas_, count, input_of(shape_.layers), 1, current_, 1), "cublasScopy");
  device_.check(cublasSaxpy(blas_, count, &minus, target_.data(), 1, current_, 1), "cublasSaxpy");
}

void GemmNet::backward(std::int64_t samples, const std::function<void(int layer)>& made) {
  float* next = next_delta_.data();
  for (int layer = shape_.layers - 1; layer >= 0; --layer) {
    multiply(CUBLAS_OP_N, CUBLAS_OP_T, shape_.width, samples, current_, input_of(layer),
             layer_of(gradient_, layer));
    made(layer);
    if (layer == 0) break;
    multiply(CUBLAS_OP_T, CUBLAS_OP_N, samples, shape_.width, layer_of(weights_, layer), current_,
             next);
    std::swap(current_, next);
  }
}

void GemmNet::step(float length) {
  device_.check(cublasSaxpy(blas_, static_cast<int>(shape_.parameters()), &length, gradient_.data(),
                            1, weights_.data(), 1),
                "cublasSaxpy");
}

void GemmNet::scale_gradient(float factor) {
  device_.check(
      cublasSscal(blas_, static_cast<int>(shape_.parameters()), &factor, gradient_.data(), 1),
      "cublasSscal");
}

double GemmNet::loss(std::int64_t samples) {
  float norm = 0;
  device_.check(cublasSnrm2(blas_, static_cast<int>(area(samples)), current_, 1, &norm),
                "cublasSnrm2");
  device_.wait(stream_);
  return 0.5 * static_cast<double>(norm) * static_cast<double>(norm);
}

}  // namespace kneepoint::workloads

// SPDX-License-Identifier: Apache-2.0
//
// The training step of nccl_data_parallel as work for a stream: cuBLAS calls on one shard of the
// batch. Nothing here waits; the caller says when a layer's gradient has been asked for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "workloads/nccl/device.h"
#include "workloads/nccl/nccl_plan.h"

namespace kneepoint::workloads {

class GemmNet {
 public:
  GemmNet(const Device& device, cudaStream_t stream, NetShape shape, std::int64_t most_samples);
  ~GemmNet() { cublasDestroy(blas_); }
  GemmNet(const GemmNet&) = delete;
  GemmNet& operator=(const GemmNet&) = delete;

  DeviceArray& weights() { return weights_; }
  DeviceArray& gradient() { return gradient_; }
  // Columns are samples.
  void load(const std::vector<float>& input, const std::vector<float>& target);

  void forward(std::int64_t samples);  // and the distance to the target
  // After forward(); `made` hears of each layer as its gradient has been put on the stream.
  void backward(std::int64_t samples, const std::function<void(int layer)>& made);
  void step(float length);  // weights += length * gradient
  void scale_gradient(float factor);
  // After forward(), which it waits for: half the squared distance, summed over the samples.
  double loss(std::int64_t samples);

 private:
  std::size_t area(std::int64_t samples) const {
    return static_cast<std::size_t>(shape_.width * samples);
  }
  float* layer_of(const DeviceArray& array, int layer) const {
    return array.data() +
           static_cast<std::size_t>(layer) * static_cast<std::size_t>(shape_.layer_parameters());
  }
  const float* input_of(int layer) const {
    return layer == 0 ? input_.data() : outputs_[static_cast<std::size_t>(layer - 1)]->data();
  }
  // c = op(a) op(b); all leading dimensions are the width.
  void multiply(cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t columns,
                std::int64_t inner, const float* a, const float* b, float* c);

  const Device& device_;
  cudaStream_t stream_;
  NetShape shape_;
  cublasHandle_t blas_ = nullptr;
  DeviceArray weights_, gradient_, input_, target_;
  std::vector<std::unique_ptr<DeviceArray>> outputs_;  // of each layer
  DeviceArray delta_, next_delta_;
  float* current_ = nullptr;  // of the two, the one that holds the distance
};

}  // namespace kneepoint::workloads

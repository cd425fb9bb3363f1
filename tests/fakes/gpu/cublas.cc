// SPDX-License-Identifier: Apache-2.0
//
// libcublas as a stand-in: plain loops on the stream's thread. Scalars are read when called, as
// cuBLAS does with those of the host. Matrices are column-major.
#include <cublas_v2.h>

#include <cmath>

#include "tests/fakes/gpu/stand_in.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

using namespace kneepoint::stand_in;

namespace {

float at(const float* matrix, int leading, cublasOperation_t op, int row, int column) {
  return op == CUBLAS_OP_N ? matrix[static_cast<long>(column) * leading + row]
                           : matrix[static_cast<long>(row) * leading + column];
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "an error of the stand-in";
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                              int m, int n, int k, const float* alpha, const float* a, int lda,
                              const float* b, int ldb, const float* beta, float* c, int ldc) {
  const float scale = *alpha, keep = *beta;
  const bool fails = is_to_fail("illegal_address");
  enqueue(handle->stream, [=] {
    if (fails) fail_with(cudaErrorIllegalAddress);
    const double begun = now_seconds();
    for (int column = 0; column < n; ++column) {
      float* out = c + static_cast<long>(column) * ldc;
      for (int row = 0; row < m; ++row) out[row] = keep == 0 ? 0 : keep * out[row];
      for (int inner = 0; inner < k; ++inner) {
        const float factor = scale * at(b, ldb, op_b, inner, column);
        for (int row = 0; row < m; ++row) out[row] += factor * at(a, lda, op_a, row, inner);
      }
    }
    last_at_least(begun, "KNEEPOINT_STAND_IN_GEMM_MS");
  });
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasScopy_v2(cublasHandle_t handle, int n, const float* x, int step_x, float* y,
                              int step_y) {
  enqueue(handle->stream, [=] {
    for (long i = 0; i < n; ++i) y[i * step_y] = x[i * step_x];
  });
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float* alpha, const float* x,
                              int step_x, float* y, int step_y) {
  const float scale = *alpha;
  enqueue(handle->stream, [=] {
    for (long i = 0; i < n; ++i) y[i * step_y] += scale * x[i * step_x];
  });
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float* alpha, float* x,
                              int step_x) {
  const float scale = *alpha;
  enqueue(handle->stream, [=] {
    for (long i = 0; i < n; ++i) x[i * step_x] *= scale;
  });
  return CUBLAS_STATUS_SUCCESS;
}

// The result is the host's; it is there when the stream is done.
cublasStatus_t cublasSnrm2_v2(cublasHandle_t handle, int n, const float* x, int step_x,
                              float* result) {
  enqueue(handle->stream, [=] {
    double sum = 0;
    for (long i = 0; i < n; ++i) {
      sum += static_cast<double>(x[i * step_x]) * static_cast<double>(x[i * step_x]);
    }
    *result = static_cast<float>(std::sqrt(sum));
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"

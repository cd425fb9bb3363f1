// SPDX-License-Identifier: Apache-2.0
//
// Single-precision gemm and gemv. gemm packs blocks of A and B so that the tile in the middle reads
// both in order, and keeps a tile of C of kTileRows x kTileColumns in registers; packing is also
// where transposes and ragged edges (filled with zeros) are dealt with.
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads::KP_KERNEL_SET {
namespace {

constexpr Index kLanes = KP_VECTOR_BYTES / sizeof(float);
constexpr Index kTileRows = KP_VECTOR_BYTES == 64 ? 12 : 6;
constexpr Index kTileVectors = 2;
constexpr Index kTileColumns = kTileVectors * kLanes;
constexpr Index kBlockRows = kTileRows * 12;  // of A: the packed block stays in L2
constexpr Index kBlockDepth = 384;
constexpr Index kBlockColumns = kTileColumns * 16;  // of B: the packed block stays in L2 or L3

using Vector = float __attribute__((vector_size(KP_VECTOR_BYTES)));
using Loose = float __attribute__((vector_size(KP_VECTOR_BYTES), aligned(4)));

Index at_most(Index value, Index limit) {
  return value < limit ? value : limit;
}

// Tiles of kTileRows rows, each stored column by column.
void pack_a(MatrixView a, Index rows, Index depth, float* to) {
  for (Index i0 = 0; i0 < rows; i0 += kTileRows) {
    const Index count = at_most(rows - i0, kTileRows);
    for (Index i = 0; i < count; ++i) {
      const float* from = a.data + (i0 + i) * a.row_stride;
      for (Index p = 0; p < depth; ++p) to[p * kTileRows + i] = from[p * a.column_stride];
    }
    for (Index i = count; i < kTileRows; ++i) {
      for (Index p = 0; p < depth; ++p) to[p * kTileRows + i] = 0;
    }
    to += kTileRows * depth;
  }
}

// One tile of kTileColumns columns, stored row by row.
void pack_b_tile(MatrixView b, Index depth, Index columns, float* to) {
  if (columns == kTileColumns && b.column_stride == 1) {
    for (Index p = 0; p < depth; ++p) {
      const float* from = b.data + p * b.row_stride;
      for (Index j = 0; j < kTileColumns; ++j) to[p * kTileColumns + j] = from[j];
    }
    return;
  }
  for (Index j = 0; j < columns; ++j) {
    const float* from = b.data + j * b.column_stride;
    for (Index p = 0; p < depth; ++p) to[p * kTileColumns + j] = from[p * b.row_stride];
  }
  for (Index j = columns; j < kTileColumns; ++j) {
    for (Index p = 0; p < depth; ++p) to[p * kTileColumns + j] = 0;
  }
}

// c (kTileRows rows of ldc) = packed a * packed b, plus c if `accumulate`.
void tile(Index depth, const float* __restrict a, const float* __restrict b, float* __restrict c,
          Index ldc, bool accumulate) {
  Vector sum[kTileRows][kTileVectors];
#pragma GCC unroll 16
  for (Index i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 4
    for (Index v = 0; v < kTileVectors; ++v) sum[i][v] = Vector{};
  }
  for (Index p = 0; p < depth; ++p) {
    Vector right[kTileVectors];
#pragma GCC unroll 4
    for (Index v = 0; v < kTileVectors; ++v) {
      right[v] = *reinterpret_cast<const Loose*>(b + p * kTileColumns + v * kLanes);
    }
#pragma GCC unroll 16
    for (Index i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 4
      for (Index v = 0; v < kTileVectors; ++v) sum[i][v] += a[p * kTileRows + i] * right[v];
    }
  }
#pragma GCC unroll 16
  for (Index i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 4
    for (Index v = 0; v < kTileVectors; ++v) {
      Loose* out = reinterpret_cast<Loose*>(c + i * ldc + v * kLanes);
      *out = accumulate ? *out + sum[i][v] : sum[i][v];
    }
  }
}

void tile_at_edge(Index depth, const float* a, const float* b, float* c, Index ldc, Index rows,
                  Index columns, bool accumulate) {
  alignas(64) float whole[kTileRows * kTileColumns];
  tile(depth, a, b, whole, kTileColumns, false);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const float value = whole[i * kTileColumns + j];
      c[i * ldc + j] = accumulate ? c[i * ldc + j] + value : value;
    }
  }
}

// A block of C from a packed block of A and one of B.
void block(Index rows, Index columns, Index depth, const float* a, const float* b, float* c,
           Index ldc, bool accumulate) {
  for (Index j = 0; j < columns; j += kTileColumns) {
    for (Index i = 0; i < rows; i += kTileRows) {
      const float* left = a + i * depth;
      const float* right = b + j * depth;
      float* out = c + i * ldc + j;
      if (rows - i >= kTileRows && columns - j >= kTileColumns) {
        tile(depth, left, right, out, ldc, accumulate);
      } else {
        tile_at_edge(depth, left, right, out, ldc, at_most(rows - i, kTileRows),
                     at_most(columns - j, kTileColumns), accumulate);
      }
    }
  }
}

MatrixView shifted(MatrixView m, Index rows, Index columns) {
  m.data += rows * m.row_stride + columns * m.column_stride;
  return m;
}

}  // namespace

Index gemm_workspace(int threads) {
  return kBlockDepth * (kBlockColumns + threads * kBlockRows);
}

void gemm(Index m, Index n, Index k, MatrixView a, MatrixView b, float* c, Index ldc,
          bool accumulate, float* workspace, int threads) {
  float* const packed_b = workspace;
  float* const packed_a = workspace + kBlockDepth * kBlockColumns;
#pragma omp parallel num_threads(threads)
  for (Index j = 0; j < n; j += kBlockColumns) {
    const Index columns = at_most(n - j, kBlockColumns);
    for (Index p = 0; p < k; p += kBlockDepth) {
      const Index depth = at_most(k - p, kBlockDepth);
#pragma omp for schedule(static)
      for (Index t = 0; t < columns; t += kTileColumns) {
        pack_b_tile(shifted(b, p, j + t), depth, at_most(columns - t, kTileColumns),
                    packed_b + t * depth);
      }
#pragma omp for schedule(static)
      for (Index slot = 0; slot < threads; ++slot) {
        float* const mine = packed_a + slot * kBlockDepth * kBlockRows;
        for (Index i = slot * kBlockRows; i < m; i += threads * kBlockRows) {
          const Index rows = at_most(m - i, kBlockRows);
          pack_a(shifted(a, i, p), rows, depth, mine);
          block(rows, columns, depth, mine, packed_b, c + i * ldc + j, ldc, accumulate || p > 0);
        }
      }
    }
  }
}

void gemv(const float* matrix, const float* x, float* y, Index rows, Index columns) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows; ++i) {
    const float* __restrict row = matrix + i * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index j = 0; j < columns; ++j) sum += row[j] * x[j];
    y[i] = sum;
  }
}

}  // namespace kneepoint::workloads::KP_KERNEL_SET

// SPDX-License-Identifier: Apache-2.0
//
// libcudart as a stand-in: what the NCCL workloads call of it, no more.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/fakes/gpu/stand_in.h"

// A queue whose work is done in order by one thread.
struct CUstream_st {
  CUstream_st() : worker([this] { work(); }) {}
  ~CUstream_st() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ending = true;
    }
    changed.notify_all();
    worker.join();
  }

  void add(std::function<void()> task) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      tasks.push_back(std::move(task));
      ++open;
    }
    changed.notify_all();
  }
  bool is_done() {
    const std::lock_guard<std::mutex> lock(mutex);
    return open == 0;
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return open == 0; });
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ending || !tasks.empty(); });
      if (tasks.empty()) return;
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
      --open;
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  int open = 0;  // in the queue or being worked on
  bool ending = false;
  std::thread worker;  // last: it uses the others
};

// What a record of an event leaves behind: waiting for an event is waiting for its newest mark.
struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  double seconds = 0;
};

struct CUevent_st {
  std::shared_ptr<Mark> mark;
};

namespace kneepoint::stand_in {
namespace {

std::mutex state_mutex;
cudaError_t sticky = cudaSuccess;
cudaError_t last = cudaSuccess;

CUstream_st& stream_of(cudaStream_t stream) {
  static CUstream_st default_stream;
  return stream == nullptr ? default_stream : *stream;
}

cudaError_t said(cudaError_t status) {
  const std::lock_guard<std::mutex> lock(state_mutex);
  if (sticky != cudaSuccess) status = sticky;
  if (status != cudaSuccess && status != cudaErrorNotReady) last = status;
  return status;
}

int device_count() {
  const char* text = std::getenv("KNEEPOINT_STAND_IN_DEVICES");
  return text != nullptr ? std::atoi(text) : 8;
}

}  // namespace

void enqueue(cudaStream_t stream, std::function<void()> work) {
  stream_of(stream).add(std::move(work));
}

void fail_with(cudaError_t status) {
  const std::lock_guard<std::mutex> lock(state_mutex);
  sticky = status;
}

bool is_to_fail(const std::string& what) {
  const char* script = std::getenv("KNEEPOINT_STAND_IN_FAIL");
  if (script == nullptr || *script == '\0') return false;
  char name[64] = "";
  int rank = 0, wanted = 1;
  if (std::sscanf(script, "%63[a-z_]@%d:%d", name, &rank, &wanted) != 3) {
    std::fprintf(stderr, "KNEEPOINT_STAND_IN_FAIL '%s': expected WHAT@RANK:N\n", script);
    std::abort();
  }
  const char* mine = std::getenv("OMPI_COMM_WORLD_RANK");
  if (what != name || rank != (mine != nullptr ? std::atoi(mine) : 0)) return false;
  static std::mutex mutex;
  static int calls = 0;
  const std::lock_guard<std::mutex> lock(mutex);
  return ++calls == wanted;
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void last_at_least(double begun, const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  const double left = begun + 1e-3 * std::atof(text) - now_seconds();
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
}

}  // namespace kneepoint::stand_in

using namespace kneepoint::stand_in;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return said(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  return said(device >= 0 && device < device_count() ? cudaSuccess : cudaErrorInvalidDevice);
}

// The header gives it the name of its newest version.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "%s", kName);
  std::snprintf(properties->uuid.bytes, sizeof properties->uuid.bytes, "stand-in %d", device);
  properties->totalGlobalMem = 1 << 30;
  return said(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return said(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;  // there is none
  return said(cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t error) {
  static const std::map<cudaError_t, const char*> names = {
      {cudaSuccess, "cudaSuccess"},
      {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation"},
      {cudaErrorIllegalAddress, "cudaErrorIllegalAddress"},
      {cudaErrorNoDevice, "cudaErrorNoDevice"},
      {cudaErrorNotReady, "cudaErrorNotReady"}};
  const auto at = names.find(error);
  return at != names.end() ? at->second : "an error of the stand-in";
}

const char* cudaGetErrorString(cudaError_t error) {
  static const std::map<cudaError_t, const char*> texts = {
      {cudaSuccess, "no error"},
      {cudaErrorMemoryAllocation, "out of memory"},
      {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
      {cudaErrorNoDevice, "no CUDA-capable device is detected"}};
  const auto at = texts.find(error);
  return at != texts.end() ? at->second : "an error of the stand-in";
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (is_to_fail("out_of_memory")) return said(cudaErrorMemoryAllocation);
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return said(*memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return said(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  enqueue(nullptr, [=] { std::memcpy(to, from, bytes); });
  stream_of(nullptr).wait();
  return said(cudaSuccess);
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  enqueue(nullptr, [=] { std::memset(memory, value, bytes); });
  return said(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  stream_of(nullptr).wait();  // the workloads wait for their own streams by themselves
  return said(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = new CUstream_st;
  return said(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return said(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (stream_of(stream).is_done()) return said(cudaSuccess);
  // Who asks again and again would take the core that the stream's own thread needs.
  std::this_thread::sleep_for(std::chrono::microseconds(50));
  return said(cudaErrorNotReady);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return said(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return said(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const auto mark = std::make_shared<Mark>();
  event->mark = mark;
  enqueue(stream, [mark] {
    {
      const std::lock_guard<std::mutex> lock(mark->mutex);
      mark->seconds = now_seconds();
      mark->done = true;
    }
    mark->changed.notify_all();
  });
  return said(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const auto mark = event->mark;
  if (mark == nullptr) return said(cudaSuccess);  // never recorded: nothing to wait for
  enqueue(stream, [mark] {
    std::unique_lock<std::mutex> lock(mark->mutex);
    mark->changed.wait(lock, [&] { return mark->done; });
  });
  return said(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (from->mark == nullptr || to->mark == nullptr) return said(cudaErrorInvalidResourceHandle);
  double seconds[2] = {0, 0};
  int i = 0;
  for (const auto& mark : {from->mark, to->mark}) {
    const std::lock_guard<std::mutex> lock(mark->mutex);
    if (!mark->done) return said(cudaErrorNotReady);
    seconds[i++] = mark->seconds;
  }
  *milliseconds = static_cast<float>(1e3 * (seconds[1] - seconds[0]));
  return said(cudaSuccess);
}

}  // extern "C"

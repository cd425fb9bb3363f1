// SPDX-License-Identifier: Apache-2.0
//
// A few threads that work off a queue. Signals are not theirs: they block them all.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kneepoint {

class WorkerPool {
 public:
  using Task = std::function<void(std::size_t worker)>;

  explicit WorkerPool(std::size_t workers);
  ~WorkerPool();  // what was begun is ended, the rest is dropped
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void add(Task task);
  std::size_t waiting() const;

 private:
  void work(std::size_t worker);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kneepoint

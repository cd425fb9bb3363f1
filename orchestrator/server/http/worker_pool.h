// SPDX-License-Identifier: Apache-2.0
//
// A few threads that work off a queue. Signals are not theirs: they block them all.
#pragma once

#include <signal.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kneepoint {

// A thread that no signal reaches.
template <typename Work>
std::thread thread_without_signals(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

class WorkerPool {
 public:
  using Task = std::function<void(std::size_t worker)>;

  explicit WorkerPool(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) {
      threads_.push_back(thread_without_signals([this, i] { work(i); }));
    }
  }
  // What was begun is ended, the rest is dropped.
  ~WorkerPool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void add(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

 private:
  void work(std::size_t worker) {
    for (;;) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task(worker);
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kneepoint

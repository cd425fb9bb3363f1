// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/worker_pool.h"

#include <signal.h>

namespace kneepoint {

WorkerPool::WorkerPool(std::size_t workers) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::add(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

std::size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void WorkerPool::work(std::size_t worker) {
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

}  // namespace kneepoint

# SPDX-License-Identifier: Apache-2.0
"""A small data-parallel training loop for torchrun; needs PyTorch. For plans/own-torchrun.yaml."""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, required=True, help="samples of all ranks together")
parser.add_argument("--steps", type=int, default=20)
arguments = parser.parse_args()

gpu = torch.cuda.is_available()
dist.init_process_group("nccl" if gpu else "gloo")
rank, ranks, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
device = torch.device(f"cuda:{local}" if gpu else "cpu")
torch.manual_seed(rank)
model = torch.nn.Sequential(*[layer for _ in range(8) for layer in
                              (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]).to(device)
model = DistributedDataParallel(model, device_ids=[local] if gpu else None)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(max(1, arguments.batch // ranks), 1024, device=device)


def step():
    optimizer.zero_grad()
    loss = (model(data) - data).square().mean()
    loss.backward()
    optimizer.step()
    return loss


def settle():
    if gpu:
        torch.cuda.synchronize()
    dist.barrier()


for _ in range(5):
    step()
settle()
begin = time.monotonic()
for _ in range(arguments.steps):
    loss = step()
settle()
seconds = time.monotonic() - begin
if rank == 0:
    print(f"loss {loss.item():.6g}")
    print(f"{arguments.steps * arguments.batch / seconds:.1f} samples/s")
    print(f"{arguments.steps} steps took {seconds:.6f} s")
dist.destroy_process_group()

#!/usr/bin/env bash
#SBATCH --job-name=xalign
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=32
#SBATCH --time=24:00:00
#SBATCH --requeue
# Start a recipe's training script on the nodes of a Slurm job; a job that is started again resumes from its checkpoint.
#
#   INIT=xlmr.base/model.pt BATCH=16 sbatch --nodes 1 ../common/slurm.sh bash 2_train.sh DATA_BIN SAVE_DIR weak
#
# One task a node; torchrun starts a process for each of its GPUs. All nodes need the same folders.
set -euo pipefail
[[ $# -ge 1 ]] || { sed -n '9,13p' "$0" >&2; exit 2; }
NODES="$SLURM_JOB_NUM_NODES"
GPUS="$SLURM_GPUS_ON_NODE"
HEAD="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):$((20000 + SLURM_JOB_ID % 10000))"
export NODES GPUS HEAD
srun --export ALL "$@"

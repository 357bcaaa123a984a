#!/bin/bash
# fairseq-train by torchrun: one process per GPU, on one machine or on several that run the same command.
#
# usage: [NODES=2 NODE=0 HOST=first-machine PORT=29500] scripts/torchrun.sh GPUS DATA-BIN [OPTION ...]
#
# GPUS is the number of processes per machine. Default: one machine. On CPUs add
# --cpu --distributed-backend gloo. A lost process ends all processes; the same command resumes from checkpoint_last.pt.
# SIGUSR1 to this script: save and exit.
set -euo pipefail

if ! program="$(command -v fairseq-train)"; then
  echo "error: fairseq-train is not on PATH; next: activate the environment that it is installed in" >&2
  exit 2
fi
gpus=$1
shift
where=(--standalone)
if ((${NODES:-1} > 1)); then
  where=(--nnodes "$NODES" --node-rank "${NODE:?}" --master-addr "${HOST:?}" --master-port "${PORT:-29500}")
fi
torchrun "${where[@]}" --nproc-per-node "$gpus" "$program" "$@" \
  --distributed-world-size $((gpus * ${NODES:-1})) --ddp-backend legacy_ddp &
launcher=$!
# torchrun itself would exit on SIGUSR1 and leave its workers running.
trap 'kill -USR1 $(< "/proc/$launcher/task/$launcher/children")' USR1
trap 'kill "$launcher"' TERM
while true; do
  wait "$launcher" && code=0 || code=$?
  if ((code <= 128)) || ! kill -0 "$launcher" 2> /dev/null; then exit "$code"; fi # otherwise a signal ended wait
done

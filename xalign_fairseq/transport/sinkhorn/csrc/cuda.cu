// The CUDA operator. One thread block takes a pair of at most 128 tokens per side from hidden states to links and keeps
// the rest in shared memory. For longer pairs, a tiled product writes the similarities to the workspace, and one block
// per pair streams through them. Only the device knows the lengths: each kernel looks at all pairs, and a block returns
// at once if its pair belongs to another kernel. If float32's linear domain loses a plan, its pair is marked. Separate
// kernels recompute it in the log domain: this is so rare that it must not take registers from the others.
#include <cuda_runtime.h>

#include "algorithm.h"
#include "cuda_group.h"
#include "cuda_product.h"

namespace xalign {

// Tensor core operands must start at multiples of 32 bytes.
extern __shared__ __align__(128) char shared_memory[];

namespace {

constexpr int LANES = 32;
constexpr int STREAMED = 0;       // instead of a tile size: longer than all tiles
constexpr int STREAM_WARPS = 16;
constexpr int STREAM_TILE = 64;   // of the product
constexpr int64_t WAVE = 512;     // pairs in the workspace at a time
constexpr int64_t SHARED = 96 * 1024;  // for the vectors of a long pair; all GPUs since compute capability 8.0 have it

XALIGN_DEVICE int64_t round_up(int64_t count) { return (count + LANES - 1) / LANES * LANES; }

// The tile size of a pair. Pairs with an empty side use the smallest.
__device__ int tile_of(const Span& span) {
  const int longest = span.n == 0 || span.m == 0 ? 0 : max(span.n, span.m);
  return longest <= 32 ? 32 : longest <= 64 ? 64 : longest <= 128 ? 128 : STREAMED;
}

// The fused kernels read hidden states and write links. They support neither given similarities nor plans.
XALIGN_DEVICE bool streams_all(const Call& call) { return call.similarity || call.plan; }

__device__ bool streams(const Call& call, const Span& span) { return streams_all(call) || tile_of(span) == STREAMED; }

// Whether plans can be lost. If so, the workspace starts with a mark per pair: 0 unless its plan is lost.
XALIGN_DEVICE bool repeats(const Call& call) { return call.iterations > 0 && !call.log_domain; }

XALIGN_DEVICE int64_t marks(const Call& call) { return repeats(call) ? round_up(call.batch) : 0; }

XALIGN_DEVICE float* slots(const Call& call) { return call.workspace + marks(call); }

__device__ void mark(const Call& call, int64_t index, bool lost) {
  if (repeats(call) && threadIdx.x == 0) call.workspace[index] = lost ? 1.0f : 0.0f;
}

__device__ int64_t element_size(const Call& call) { return call.dtype == FLOAT32 ? 4 : 2; }

__device__ Tokens tokens_of(const Call& call, int64_t index, int first, int count) {
  const int64_t at = index * call.batch_stride + first * call.token_stride, size = element_size(call);
  return {static_cast<const char*>(call.hidden) + at * size, call.token_stride * size, count};
}

// Runs multiply() on at most T tokens per side.
template <int T>
__device__ void products(const Call& call, const Tokens& src, const Tokens& tgt, float* matrix, int stride) {
  const int64_t size = element_size(call);
  const uint64_t offsets = reinterpret_cast<uint64_t>(call.hidden) | (call.batch_stride | call.token_stride) * size;
  const Sides sides{src, tgt, static_cast<int>(call.width * size), offsets % VECTOR == 0};
  if (call.dtype == FLOAT32)
    multiply<T, float>(sides, shared_memory, matrix, stride);
  else if (call.dtype == BFLOAT16)
    multiply<T, __nv_bfloat16>(sides, shared_memory, matrix, stride);
  else
    multiply<T, __half>(sides, shared_memory, matrix, stride);
}

__device__ Pair make_pair(const Call& call, int64_t index, const Span& span) {
  Pair pair{};
  const bool empty = span.n == 0 || span.m == 0;
  pair.n = empty ? 0 : span.n, pair.m = empty ? 0 : span.m;
  pair.stride = static_cast<int>(round_up(pair.m));
  if (call.row_mass) pair.row_mass = call.row_mass + index * call.n;
  if (call.column_mass) pair.column_mass = call.column_mass + index * call.m;
  return pair;
}

template <int T>
constexpr int fused_bytes() {
  const int64_t afterwards = 4 * (T * T + Pair::vectors(T, T, Tile<T>::WARPS));
  const int64_t stages = Tile<T>::STAGES * Tile<T>::STAGE;
  return static_cast<int>(afterwards > stages ? afterwards : stages);
}

// A pair of at most T tokens per side.
template <int T>
__device__ __forceinline__ void link(const Call& call, int64_t index, const Span& span, bool log_domain) {
  constexpr int WARPS = Tile<T>::WARPS;
  Pair pair = make_pair(call, index, span);
  pair.matrix = reinterpret_cast<float*>(shared_memory);
  pair.place_vectors(pair.matrix + T * T, T, T, WARPS);
  if (pair.n > 0)
    products<T>(call, tokens_of(call, index, span.src, pair.n), tokens_of(call, index, span.tgt, pair.m), pair.matrix,
                pair.stride);
  BlockGroup<WARPS> group;
  // Keeps columns in registers, except at 128 tokens, where some would spill to memory.
  constexpr int WIDTHS = T == 128 ? 0 : T / LANES;
  Transport<BlockGroup<WARPS>, WIDTHS> transport(group, pair, call, log_domain);
  const bool has_plan = pair.n > 0 && transport.plan();
  mark(call, index, transport.lost());
  transport.links(Output(call, index, span), has_plan);
}

template <int T>
__global__ void __launch_bounds__(Tile<T>::THREADS, Tile<T>::BLOCKS) fused(const __grid_constant__ Call call) {
  const Span span(call, blockIdx.x);
  if (tile_of(span) == T) link<T>(call, blockIdx.x, span, call.log_domain);
}

__global__ void __launch_bounds__(Tile<128>::THREADS) fused_again(const __grid_constant__ Call call) {
  const Span span(call, blockIdx.x);
  if (tile_of(span) != STREAMED && call.workspace[blockIdx.x] != 0) link<128>(call, blockIdx.x, span, true);
}

// The workspace of one pair of a wave: its matrix, and its vectors if they do not fit into shared memory.
struct Slot {
  int64_t rows, columns, matrix, vectors;
  bool shared;

  XALIGN_DEVICE explicit Slot(const Call& call)
      : rows(round_up(call.n)),
        columns(round_up(call.m)),
        matrix(rows * columns),
        vectors(Pair::vectors(static_cast<int>(rows), static_cast<int>(columns), STREAM_WARPS)),
        shared(4 * vectors <= SHARED) {}

  XALIGN_DEVICE int64_t size() const { return matrix + (shared ? 0 : vectors); }
};

XALIGN_DEVICE int tiles(int64_t tokens) { return static_cast<int>((tokens + STREAM_TILE - 1) / STREAM_TILE); }

// Writes one tile of a pair's similarities to the workspace.
__global__ void __launch_bounds__(Tile<STREAM_TILE>::THREADS, Tile<STREAM_TILE>::BLOCKS)
    similarities(const __grid_constant__ Call call, int64_t first) {
  const int across = tiles(call.m), each = tiles(call.n) * across;
  const int place = blockIdx.x / each, tile = blockIdx.x % each;
  const int row = tile / across * STREAM_TILE, column = tile % across * STREAM_TILE;
  const int64_t index = first + place;
  const Span span(call, index);
  const int rows = min(span.n - row, STREAM_TILE), columns = min(span.m - column, STREAM_TILE);
  if (!streams(call, span) || rows <= 0 || columns <= 0) return;
  float* matrix = reinterpret_cast<float*>(shared_memory);
  products<STREAM_TILE>(call, tokens_of(call, index, span.src + row, rows),
                        tokens_of(call, index, span.tgt + column, columns), matrix, STREAM_TILE);
  Pair pair = make_pair(call, index, span);
  pair.matrix = slots(call) + place * Slot(call).size();
  for (int at = threadIdx.x; at < rows * STREAM_TILE; at += Tile<STREAM_TILE>::THREADS) {
    const int i = at / STREAM_TILE, j = at % STREAM_TILE;
    if (j < columns) pair.row(row + i)[column + j] = matrix[at];
  }
}

template <class Element>
__device__ float product(const Call& call, int64_t at, int64_t with) {
  const Element* hidden = static_cast<const Element*>(call.hidden);
  float sum = 0.0f;
  for (int64_t k = 0; k < call.width; ++k)
    sum += static_cast<float>(hidden[at + k]) * static_cast<float>(hidden[with + k]);
  return sum;
}

// Recomputes a similarity that the plan has overwritten. This is so rare that no copy is kept.
__device__ float similarity(const Call& call, int64_t index, const Span& span, int i, int j) {
  if (call.similarity) return call.similarity[(index * call.n + i) * call.m + j];
  const int64_t first = index * call.batch_stride;
  const int64_t at = first + (span.src + i) * call.token_stride, with = first + (span.tgt + j) * call.token_stride;
  if (call.dtype == FLOAT32) return product<float>(call, at, with);
  return call.dtype == BFLOAT16 ? product<__nv_bfloat16>(call, at, with) : product<__half>(call, at, with);
}

// A pair with similarities in the workspace; `bring` writes them there. Its vectors are in shared memory if they fit.
template <bool SHARED_VECTORS>
__device__ __forceinline__ void link_streaming(const Call& call, int64_t index, const Span& span, bool bring,
                                               bool log_domain) {
  using G = BlockGroup<STREAM_WARPS>;
  const Slot slot(call);
  Pair pair = make_pair(call, index, span);
  pair.matrix = slots(call) + blockIdx.x * slot.size();
  pair.place_vectors(SHARED_VECTORS ? reinterpret_cast<float*>(shared_memory) : pair.matrix + slot.matrix,
                     static_cast<int>(slot.rows), static_cast<int>(slot.columns), STREAM_WARPS);
  G group;
  if (bring)  // each lane writes what it will read
    for (int i = group.rank(); i < pair.n; i += group.size())
      for (int j = G::lane(); j < pair.m; j += LANES) pair.row(i)[j] = similarity(call, index, span, i, j);
  Transport<G> transport(group, pair, call, log_domain);
  const bool has_plan = pair.n > 0 && transport.plan();
  mark(call, index, transport.lost());
  if (!call.plan)
    transport.links(Output(call, index, span), has_plan);
  else
    for (int i = group.rank(); i < call.n; i += group.size())
      for (int j = G::lane(); j < call.m; j += LANES)
        call.plan[(index * call.n + i) * call.m + j] = has_plan && i < pair.n && j < pair.m ? pair.row(i)[j] : 0.0f;
}

template <bool SHARED_VECTORS>
__global__ void __launch_bounds__(STREAM_WARPS* LANES, SHARED_VECTORS ? 2 : 1)
    stream(const __grid_constant__ Call call, int64_t first) {
  const int64_t index = first + blockIdx.x;
  const Span span(call, index);
  if (streams(call, span)) link_streaming<SHARED_VECTORS>(call, index, span, call.similarity, call.log_domain);
}

template <bool SHARED_VECTORS>
__global__ void __launch_bounds__(STREAM_WARPS* LANES) stream_again(const __grid_constant__ Call call, int64_t first) {
  const int64_t index = first + blockIdx.x;
  const Span span(call, index);
  if (streams(call, span) && call.workspace[index] != 0) link_streaming<SHARED_VECTORS>(call, index, span, true, true);
}

template <class... Arguments>
cudaError_t launch(void (*kernel)(Arguments...), int64_t blocks, int threads, int64_t bytes, const Call& call,
                   const Arguments&... arguments) {
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (error != cudaSuccess) return error;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = bytes;
  config.stream = static_cast<cudaStream_t>(call.stream);
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <int T>
cudaError_t launch_fused(const Call& call) {
  // Takes the most shared memory, so that BLOCKS blocks fit on a multiprocessor. Hidden states bypass L1.
  const cudaError_t error =
      cudaFuncSetAttribute(fused<T>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  return error != cudaSuccess ? error : launch(fused<T>, call.batch, Tile<T>::THREADS, fused_bytes<T>(), call, call);
}

bool any_streams(const Call& call) { return streams_all(call) || call.n > 128 || call.m > 128; }

cudaError_t launch_streams(const Call& call) {
  const Slot slot(call);
  for (int64_t first = 0; first < call.batch; first += WAVE) {
    const int64_t pairs = call.batch - first < WAVE ? call.batch - first : WAVE;
    const int64_t blocks = pairs * tiles(call.n) * tiles(call.m);
    cudaError_t error = cudaSuccess;
    if (!call.similarity && blocks > 0)
      error = launch(similarities, blocks, Tile<STREAM_TILE>::THREADS, fused_bytes<STREAM_TILE>(), call, call,
                     first);
    const int64_t bytes = slot.shared ? 4 * slot.vectors : 0;
    if (error == cudaSuccess)
      error = launch(slot.shared ? stream<true> : stream<false>, pairs, STREAM_WARPS * LANES, bytes, call, call, first);
    if (error == cudaSuccess && repeats(call))
      error = launch(slot.shared ? stream_again<true> : stream_again<false>, pairs, STREAM_WARPS * LANES, bytes, call,
                     call, first);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t run(const Call& call) {
  const int64_t longest = call.n > call.m ? call.n : call.m;
  cudaError_t error = cudaSuccess;
  if (!streams_all(call)) {
    error = launch_fused<32>(call);
    if (error == cudaSuccess && longest > 32) error = launch_fused<64>(call);
    if (error == cudaSuccess && longest > 64) error = launch_fused<128>(call);
    if (error == cudaSuccess && repeats(call))
      error = launch(fused_again, call.batch, Tile<128>::THREADS, fused_bytes<128>(), call, call);
  }
  return error == cudaSuccess && any_streams(call) ? launch_streams(call) : error;
}

// Makes a device current while this object lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    error = cudaGetDevice(&before_);
    if (error == cudaSuccess && device != before_) error = cudaSetDevice(device);
  }
  ~OnDevice() {
    int device = before_;
    if (cudaGetDevice(&device) == cudaSuccess && device != before_) cudaSetDevice(before_);
    cudaGetLastError();  // the error is returned; later calls must not see it
  }
  cudaError_t error;

 private:
  int before_ = 0;
};

}  // namespace
}  // namespace xalign

using xalign::Call;

// The workspace size that a call needs, in floats.
extern "C" int64_t xalign_cuda_workspace(const Call* call) {
  const int64_t wave = call->batch < xalign::WAVE ? call->batch : xalign::WAVE;
  return xalign::marks(*call) + (xalign::any_streams(*call) ? wave * xalign::Slot(*call).size() : 0);
}

// Returns 0 or CUDA's error code. Does not wait for the device.
extern "C" int64_t xalign_cuda(const Call* call) {
  if (call->batch == 0) return cudaSuccess;
  const xalign::OnDevice device(static_cast<int>(call->device));
  if (device.error != cudaSuccess) return device.error;
  return xalign::run(*call);
}

extern "C" const char* xalign_cuda_error(int64_t error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }

// Returns null if the kernels run on the device, otherwise the error. Loads all kernels, because a kernel cannot be
// loaded while a graph is captured.
extern "C" const char* xalign_cuda_probe(int device) {
  using namespace xalign;
  const OnDevice here(device);
  cudaFuncAttributes attributes;
  cudaError_t error = here.error;
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, fused<32>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, fused<64>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, fused<128>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, similarities);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, stream<true>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, stream<false>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, fused_again);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, stream_again<true>);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, stream_again<false>);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

// The actual kernels, unchanged.
#include "cuda_host.h"

#include "../../../crates/gnn/src/cuda/kernels.cu"

// Kernels that are wrong on purpose, to show that the shim finds what it is there to find.
#include "cuda_host.h"

#include "faulty.cu"

// Incorrect kernels that show that the shim detects their faults.
#include "cuda_host.h"

#include "faulty.cu"

#include "CKyotoCabinet.h"

#ifndef TODANA_CLIBCRYPTO_H
#define TODANA_CLIBCRYPTO_H

#include <openssl/evp.h>
#include <openssl/rand.h>

#endif

// The objects behind the handles of the C interface.
#pragma once

#include <memory>

#include "Keys/KeyRing.h"
#include "Primitives/Sha256.h"
#include "Sealer.h"
#include "include/CSealing.h"

struct tds_key_ring {
  std::shared_ptr<todana::KeyRing> ring;
};

struct tds_hash {
  todana::Sha256 hash;
};

struct tds_sealer {
  explicit tds_sealer(std::shared_ptr<const todana::KeyRing> ring) : sealer(std::move(ring)) {}
  todana::Sealer sealer;
};

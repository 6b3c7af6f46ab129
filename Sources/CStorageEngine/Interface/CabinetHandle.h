// The handle of the C interface for an open cabinet.
#pragma once

#include <memory>

#include "../Cabinet/Cabinet.h"

struct tdn_cabinet {
  std::shared_ptr<todana::Cabinet> cabinet;
};

#include "CDomainNames.h"

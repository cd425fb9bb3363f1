// SPDX-License-Identifier: Apache-2.0
//
// Two published key pairs, those of RFC 8032's tests 1 and 2: good for tests, and for nothing else.
#pragma once

#include <string>

namespace kneepoint::testing_support {

inline std::string pem(const std::string& kind, const std::string& body) {
  return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
}

inline const std::string kPrivateKey =
    pem("PRIVATE KEY", "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g");
inline const std::string kPublicKey =
    pem("PUBLIC KEY", "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
inline const std::string kOtherPublicKey =
    pem("PUBLIC KEY", "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");

}  // namespace kneepoint::testing_support

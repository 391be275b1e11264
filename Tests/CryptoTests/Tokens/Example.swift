import Testing

/// The signed examples of RFC 7515 appendix A and RFC 8037 appendix A.4, their keys as PEM.
struct Example: Sendable {
  let name: String
  let header: String
  let payload: String
  let signature: String
  /// The public key, or `nil` for the secret of A.1.
  let publicKey: String?

  var token: String { "\(header).\(payload).\(signature)" }

  static let all = [hs256, rs256, es256, edDSA]

  static let secret = """
    AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow
    """

  private static let joe = """
    eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0\
    cnVlfQ
    """

  static let hs256 = Example(
    name: "RFC 7515 A.1", header: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9", payload: joe,
    signature: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", publicKey: nil)

  static let rs256 = Example(
    name: "RFC 7515 A.2", header: "eyJhbGciOiJSUzI1NiJ9", payload: joe,
    signature: """
      cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_\
      O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIA\
      RNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPq\
      vhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77\
      Rw
      """,
    publicKey: """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj
      NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz
      P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo
      9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB
      EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX
      FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp
      oQIDAQAB
      -----END PUBLIC KEY-----
      """)

  static let es256 = Example(
    name: "RFC 7515 A.3", header: "eyJhbGciOiJFUzI1NiJ9", payload: joe,
    signature: """
      DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1\
      Q
      """,
    publicKey: """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
      6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
      -----END PUBLIC KEY-----
      """)

  static let edDSA = Example(
    name: "RFC 8037 A.4", header: "eyJhbGciOiJFZERTQSJ9",
    payload: "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
    signature: """
      hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KA\
      g
      """,
    publicKey: """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
      -----END PUBLIC KEY-----
      """)
}

extension Example: CustomTestStringConvertible {
  var testDescription: String { name }
}

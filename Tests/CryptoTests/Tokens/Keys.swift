import Testing

/// Keys that were generated for tests and protect nothing.
enum Keys {
  struct Pair: Sendable, CustomTestStringConvertible {
    let algorithm: String
    let privateKey: String
    let publicKey: String

    var testDescription: String { algorithm }
  }

  static let p256 = Pair(
    algorithm: "ES256",
    privateKey: """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgepzz8qgh/glMFZ5Q
      ZN/f2qyVhCUIZ4QsS6SmX2r3MxGhRANCAAQoxq8mIaeeR5F/99nEDT4c81Fjx6We
      fiGfLPWWjQhpdnCseC38RxbwM4jyi6Ls2rz8TbgLJvXHwhYFsvudChEU
      -----END PRIVATE KEY-----
      """,
    publicKey: """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKMavJiGnnkeRf/fZxA0+HPNRY8el
      nn4hnyz1lo0IaXZwrHgt/EcW8DOI8oui7Nq8/E24Cyb1x8IWBbL7nQoRFA==
      -----END PUBLIC KEY-----
      """)

  static let rsa = Pair(
    algorithm: "RS256",
    privateKey: """
      -----BEGIN PRIVATE KEY-----
      MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC2rirZVaUKz9vw
      gRoMsvbfufUihtiGILY9slNqbYcw+s3fCmWxeNgy3WOe8PoQOBAZYR+0SZgWvY9/
      ZTQWSremeOLTMZcZbeORcIq1VM9GTjrWbWadBS1NHduFI7q/rNPh08RV+qDRXmSD
      mPdgt/6acrsckD2HntUrrhElBXc1prO7GrAu8Ivo2Telz8R6SV/FbcIiSqscfH6i
      IcpM6CjKlQepj39gKjz9F76z3yCww9ObGn031XmLBwCkOpPoHlahh7nh7f9vhSYJ
      KgGfJ3MvxS7OBXx8vS2IPk3elD5HsX+9UHOfbGlyt9enHX5/Uu6wueUNajffdItH
      +YDlB34fAgMBAAECggEAVI2BlK1w4fO6U3OV2Ine/UdnYC80ucQbRawrssd2OuPi
      9Nitn/qUatqQmQjlXSttvCl5kKs9g00CxY7UkHrNzPYH2oOJ8cGsgm0qLmrOMzbT
      QdtKEuRKBvcKW3HhpoT6Xvxy0+7Yj3+Wm1hqK3COHfN7imlyqTqJZRnAoreIaSJy
      OTQI3Orsho8Rmp90grvjeVeYaUCNo5nt4d/IcUWDi0zkyqKrNWnhd7zVgfD8x5Yx
      /iZZ9m4IKC1vwtkrcmAYcu6mDr+i+7CT1UimraUWqNRgZKa4tt0hbA0BjHG2e6ZY
      ZiwayKH6Tq6R9TSE7q6Hz6xMT3Pq+KihSGn2d7QX4QKBgQDocG0GUOvE6+T0mt4v
      yaraZkC1GnXtWRouJKLqsUJTHltMrli0c/jNIeD7ESdZ3l6+aEnsG61Y50A3BDV2
      KK7UstWL9qy3FaoOIVoVuNdf9aiivw7dtCvSKA57vZX2wQ4k+OW3jH2YU7SiVNYZ
      wIvbYlLDMouMVJErXR07N7xWYQKBgQDJMowxHot1suexruOhEa/oqjlJOx5FfYrR
      65ZxPnetIYKMyqYw/DXnBoTMUDaWQHepZuI0WD3uJPWZDrerI4lKr+am8lnbRZEV
      NuhOyphdi8nwc1EQPUZh0Vk/4psu6LX/PZZUT/YFQCwjhSgcfz/f3IpMwmOZ/Nmt
      nHjfYVMkfwKBgBSFaHq4Rjh6gxo9WgRqD5V8lZXnoiW0SiVswp1pzOs9sN3SPq6f
      1oV1ykEgQJMkmMTCvFQGFYXV1MuGqZmm+dh5eXUD8Dexx/O7ahKk4Q7tx1em+o8E
      SyIguzadhFHmtXL6Ln3H/4alTTtPth9L6o0R3zCwk7Vt+esUK3KA9zXBAoGBALRM
      0gkqoDtnie5XFbI/0W4lLZUMn4ISkRaxkm4FVuYVw5I8AFahjgRseRFHSMO5HgL3
      KftSoJ0LDfSNldaNz/jYTVCKmi+/1dY3EFObhpM+NEeAb8KnxqzeGKcBgaO183K6
      VD9WMNhfu65RI7L17d3FG0LSaMOULdZBBKjZ5NItAoGBAJ6ImLu8kHhg+XON9k91
      oTiAx6w7mKfse2iq59vKfR4jTVK46tzDhQRJkgoWXaXKBM1ifBWtEcf75deHxIdb
      2+1L6x+eYSvqzBjQ6VJ1ltEGqAxIDfWxuFD6FfOeCLxkQSOkJxkixIEKwZc5nXEt
      imCgqN3sXUZv62By014CxWgt
      -----END PRIVATE KEY-----
      """,
    publicKey: """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtq4q2VWlCs/b8IEaDLL2
      37n1IobYhiC2PbJTam2HMPrN3wplsXjYMt1jnvD6EDgQGWEftEmYFr2Pf2U0Fkq3
      pnji0zGXGW3jkXCKtVTPRk461m1mnQUtTR3bhSO6v6zT4dPEVfqg0V5kg5j3YLf+
      mnK7HJA9h57VK64RJQV3NaazuxqwLvCL6Nk3pc/EeklfxW3CIkqrHHx+oiHKTOgo
      ypUHqY9/YCo8/Re+s98gsMPTmxp9N9V5iwcApDqT6B5WoYe54e3/b4UmCSoBnydz
      L8UuzgV8fL0tiD5N3pQ+R7F/vVBzn2xpcrfXpx1+f1LusLnlDWo333SLR/mA5Qd+
      HwIDAQAB
      -----END PUBLIC KEY-----
      """)

  /// On the curve P-384.
  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAEMPPZ/pMwI9EQxj0q
    yzXHJdmnwTvE1vh1m6jD9WwVuD+qOoBM0BpEX7+tLQ5xUYOhZANiAATNH7jyxkk+
    ZRFByxFUeeY44D6SPqkGIzpzUFSXqSJSmntqblfWCwEEAJXhpaDwZ8UsmYAJw9yE
    x3W39rjFJNOCgOZYEeXe93jgJP85/Bp88zu4njE1pdm29ctlZ+16n9c=
    -----END PRIVATE KEY-----
    """

  /// RSA with 1024 bits.
  static let shortRSA = """
    -----BEGIN PRIVATE KEY-----
    MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAMhfEMzKcAQGWmM8
    G4U7cHvSDRB9519D8AVsKPFK/UM1ppT2FtOYRna3582grfgb1V/4V2P7+XqCYSM9
    X39ECO34D8Yvuge7AvXjTLwYegI3MrutUHGZNMgPWsTz8ys1xp/JwZ/Ry9/58FJf
    rgTD8ag4xP824Ej/g5pfu94LvlEzAgMBAAECgYBXkDPnSxBosd4OP9ZHAxLFCaZr
    7pmOKEJcHEhIKl1DYc7KikCvd3xTpUrHsdBU/NTie8S1DQiZYSDSJZ/2HeVIUkAV
    Q64Z9JxsvJlVHtPADI1aWafPK+m90n7x0C3aUPDlDWxlnfkqh4+aDSXiRsqggz0T
    lfbQ+Ofr/uvRqsL6AQJBAP3ruJRw3GuuW4jeyeoYudhIh/RFMaM8MIk/2CWX/A6G
    V+Kc6SnRSYLJhR6meLzlW8I+5RNeDdbXr7nt5SHs3jkCQQDKAxeViPnNRW5dzsDE
    d+OvK6Rbfd7RtUl4Z4siKsAu37DkacNvWuexRNIlSOkpQbi+6XAQiZsgJ3BzP/OQ
    GurLAkEA8PL2wz1ZnIDmcTnf5lkyOU+SWzQxxxE9iW/g/sN7Npk62lpFUx47IHVz
    8cLMfYsziF7AZ6FvhnhDUy6wqIGp2QJAbdd+lGWVhqMRHtrUAEA8QjxVsxXe+WI8
    n8aVZa+fLh2dfqVvifYA82e7aGCbvz4oKU6fC6729WXchB4q3pl0PwJAZfv+pocJ
    74HEIA9Rl/5dye0CFlbyEZxPXXfGSdc+1Ay27ADOQk2EPW0h9gz0oTsKC7ktbWAz
    0rkj13QNPI9D8w==
    -----END PRIVATE KEY-----
    """

  /// Protected by a passphrase.
  static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhVCqhLk1tBrwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPBxsKrttLTnAZCneDUD5RAEgZAS
    y6G4Nlbmd1AloLtqOzoU+6UNqvUPmPhVGGFmj6BLk/SMSxaKcC+t8CMV8fAF0c5s
    6IeNj9iuc/oTdGIby/svjQ4ph/Dpk0/zEjXnPKV44FThPEy2aukG4RbG6wlZY+TW
    NYVcBJ+0nfwUBSH1zvlyVs55UB5SXRUKGIpvgaxX7hJvQeZz6856fF8UjzkmLqM=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}

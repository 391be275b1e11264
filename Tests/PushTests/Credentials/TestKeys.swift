import Basics
import Crypto

@testable import ParleyProtocol

/// Keys that were generated for tests and protect nothing.
enum TestKeys {
  static let p256 = PrivateKey.generateP256()

  static func rsa() throws -> PrivateKey { try PrivateKey(pem: rsaPEM, from: "test") }

  /// The payload of a token, whose signature is verified.
  static func payload(of token: String, publicKey: String) throws -> JSONNode {
    let verifier = try TokenVerifier(publicKeyPEM: publicKey)
    return try JSONDocument(verifier.verifiedPayload(of: CompactToken(token))).root
  }

  /// The header of a token.
  static func header(of token: String) throws -> JSONNode {
    let text = token.utf8.prefix { $0 != UInt8(ascii: ".") }
    return try JSONDocument(Base64URL.decode(text) ?? []).root
  }

  /// A point of the curve P-256 as a public key in PEM form (RFC 5480).
  static func publicPEM(_ point: [UInt8]) -> String {
    let prefix: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08,
      0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    let digits = Base64.encode(prefix + point)
    return "-----BEGIN PUBLIC KEY-----\n\(digits)\n-----END PUBLIC KEY-----\n"
  }

  static let rsaPEM = """
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
    """

  static let rsaPublicPEM = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtq4q2VWlCs/b8IEaDLL2
    37n1IobYhiC2PbJTam2HMPrN3wplsXjYMt1jnvD6EDgQGWEftEmYFr2Pf2U0Fkq3
    pnji0zGXGW3jkXCKtVTPRk461m1mnQUtTR3bhSO6v6zT4dPEVfqg0V5kg5j3YLf+
    mnK7HJA9h57VK64RJQV3NaazuxqwLvCL6Nk3pc/EeklfxW3CIkqrHHx+oiHKTOgo
    ypUHqY9/YCo8/Re+s98gsMPTmxp9N9V5iwcApDqT6B5WoYe54e3/b4UmCSoBnydz
    L8UuzgV8fL0tiD5N3pQ+R7F/vVBzn2xpcrfXpx1+f1LusLnlDWo333SLR/mA5Qd+
    HwIDAQAB
    -----END PUBLIC KEY-----
    """
}

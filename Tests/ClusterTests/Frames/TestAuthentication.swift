import Cluster

/// Codes that differ with the secret and each byte, which is enough without an adversary.
struct TestAuthentication: FrameAuthentication {
  let secret: UInt64

  func code(of bytes: [UInt8]) -> [UInt8] {
    var hash = secret
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return (0..<FrameCodec.codeSize).map { UInt8(truncatingIfNeeded: hash >> UInt64($0)) }
  }

  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { left == right }
}

/// The codes that authenticate the frames of one cluster.
package protocol FrameAuthentication: Sendable {
  /// Computes the ``FrameCodec/codeSize`` bytes that only servers with the same secret can compute.
  func code(of bytes: [UInt8]) -> [UInt8]

  /// Compares in constant time.
  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool
}

/// A request that a ``CurlLoop`` carries out.
///
/// Set up with ``CurlEasy/receiver``; called on the loop's thread only.
package protocol CurlTransfer: AnyObject, SendableMetatype {
  var easy: CurlEasy { get }

  /// Takes a line of a response's head; there may be several heads, interim responses (1xx) too.
  ///
  /// - Returns: Whether more is wanted; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receiveHead(_ line: UnsafeBufferPointer<UInt8>) -> Bool

  /// Takes bytes of the body, decompressed.
  ///
  /// - Returns: Whether more is wanted; if not, the transfer ends with `CURLE_WRITE_ERROR`.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool
}

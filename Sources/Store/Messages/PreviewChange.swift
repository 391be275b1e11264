package import ParleyProtocol

/// What becomes of a message's link preview when the message is changed.
package enum PreviewChange: Sendable, Hashable {
  case keep
  case replace(OpenGraphTag?)
}

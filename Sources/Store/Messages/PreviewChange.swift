package import ParleyProtocol

/// The change of a message's link preview when the message is changed.
package enum PreviewChange: Sendable, Hashable {
  case keep
  case replace(OpenGraphTag?)
}

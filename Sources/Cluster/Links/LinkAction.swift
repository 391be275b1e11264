/// The consequences of an input to a ``ServerLink``, in their order.
package enum LinkAction: Sendable, Equatable {
  case transmit(Frame)
  case deliver([UInt8])
  case reset(LinkResetReason)
}

/// The reason for resetting a link.
package enum LinkResetReason: Sendable, Equatable {
  /// More waits for confirmation than may be kept.
  case overflow
  /// Something has waited for confirmation for too long.
  case silence
  /// The peer has reset the link.
  case peer
  /// The peer's frames make no sense.
  case violation
}

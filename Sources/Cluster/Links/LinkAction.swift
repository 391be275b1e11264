/// The consequences of an input to a ``ServerLink``, in order.
package enum LinkAction: Sendable, Equatable {
  case transmit(Frame)
  case deliver([UInt8])
  case reset(LinkResetReason)
}

/// The reason for resetting a link.
package enum LinkResetReason: Sendable, Equatable {
  /// The unconfirmed data exceeds the limit.
  case overflow
  /// Data has been unconfirmed for too long.
  case silence
  /// The peer has reset the link.
  case peer
  /// The peer's frames are invalid.
  case violation
}

/// The limits on the data that applications attach to users, channels and messages.
///
/// The settings can change them; the initial values are the defaults. Lengths are in Unicode scalars.
package struct CustomDataLimits: Sendable, Hashable {
  package var customTypeLength = 128
  /// The maximum number of bytes in `data` of a channel or a message.
  package var dataByteCount = 16_384
  package var metaArrays = MetaArrayLimits()
  package var metadata = MetadataLimits()

  package init() {}

  /// The maximum values of the settings, chosen so that one member at its limit fits into an event, an
  /// answer and a PostgreSQL index.
  ///
  /// They also limit filters and removals, so that stored values remain accessible when a setting is
  /// lowered.
  package static let most: CustomDataLimits = {
    var limits = CustomDataLimits()
    limits.customTypeLength = 512
    limits.dataByteCount = 24_576
    limits.metaArrays = .most
    limits.metadata = .most
    return limits
  }()
}

/// The limits on the metaarrays of a message.
package struct MetaArrayLimits: Sendable, Hashable {
  package var keyCount = 10
  package var keyLength = 128
  /// The maximum number of values of one key.
  package var valueCount = 100
  package var valueLength = 190
  /// The maximum number of bytes of all keys and values of one message together.
  package var byteCount = 16_384

  package init() {}

  /// The maximum values of the settings.
  package static let most: MetaArrayLimits = {
    var limits = MetaArrayLimits()
    limits.keyCount = 100
    limits.keyLength = 256
    limits.valueCount = 1_000
    limits.valueLength = 4_096
    limits.byteCount = 32_768
    return limits
  }()
}

/// The limits on the metadata of a user or a channel, and on a channel's counters.
package struct MetadataLimits: Sendable, Hashable {
  /// The maximum number of items of a user or channel, and of counters of a channel.
  package var itemCount = 25
  package var keyLength = 128
  package var valueLength = 190
  /// The maximum number of bytes of all keys and values of one user together.
  package var userByteCount = 4_096

  package init() {}

  /// The maximum values of the settings.
  package static let most: MetadataLimits = {
    var limits = MetadataLimits()
    limits.itemCount = 50
    limits.keyLength = 256
    limits.valueLength = 1_024
    limits.userByteCount = 16_384
    return limits
  }()
}

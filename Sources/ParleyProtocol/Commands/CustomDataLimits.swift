/// The limits on the data that applications add to users, channels and messages.
///
/// Settings can change them; those of new values are the defaults. Lengths are Unicode scalars.
package struct CustomDataLimits: Sendable, Hashable {
  package var customTypeLength = 128
  /// Bytes of `data` of a channel or a message.
  package var dataByteCount = 16_384
  package var metaArrays = MetaArrayLimits()
  package var metadata = MetadataLimits()

  package init() {}

  /// The largest values of the settings: one member at its limit fits into an event, an answer and an
  /// index of PostgreSQL.
  ///
  /// Filters and removals are bounded by them, so that stored values stay within reach when a setting
  /// is lowered.
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
  /// Values of one key.
  package var valueCount = 100
  package var valueLength = 190
  /// Bytes of all keys and values of one message together.
  package var byteCount = 16_384

  package init() {}

  /// The largest values of the settings.
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
  /// Items of a user or channel, and counters of a channel.
  package var itemCount = 25
  package var keyLength = 128
  package var valueLength = 190
  /// Bytes of all keys and values of one user together.
  package var userByteCount = 4_096

  package init() {}

  /// The largest values of the settings.
  package static let most: MetadataLimits = {
    var limits = MetadataLimits()
    limits.itemCount = 50
    limits.keyLength = 256
    limits.valueLength = 1_024
    limits.userByteCount = 16_384
    return limits
  }()
}

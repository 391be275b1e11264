import ParleyProtocol

extension MetaArrayChange {
  /// The right that a caller needs in addition to that of a participant.
  enum Right {
    /// For keys, which belong to the message's author and to operators.
    case change
    /// For values, such as polls and counters, which are open to every participant who may send.
    case count
  }

  var right: Right {
    switch self {
    case .createKeys, .deleteKeys: .change
    case .addValues, .removeValues, .addValuesToKnownKeys, .removeValuesFromKnownKeys: .count
    }
  }

  /// The metaarrays after the change.
  ///
  /// - Parameter mayCreateKeys: Whether the caller may create keys.
  /// - Throws: 400201 for a missing key, 400203 or 400110 beyond the limits.
  func applied(
    to known: [MetaArray], within limits: MetaArrayLimits, mayCreateKeys: Bool
  ) throws(ServiceError) -> [MetaArray] {
    switch self {
    case .createKeys(let keys): return try known.creating(keys: keys, within: limits)
    case .deleteKeys(let keys): return known.deleting(keys: keys)
    case .removeValues(let values): return known.removing(values)
    case .addValues(let values):
      let arrays = try known.adding(values, within: limits)
      if !mayCreateKeys, let new = arrays.key(missingFrom: known) {
        throw .unknownMetaArrayKey(new)
      }
      return arrays
    case .addValuesToKnownKeys(let values):
      if let new = values.key(missingFrom: known) { throw .noMetaArrayKey(new) }
      return try known.adding(values, within: limits)
    case .removeValuesFromKnownKeys(let values):
      if let new = values.key(missingFrom: known) { throw .noMetaArrayKey(new) }
      return known.removing(values)
    }
  }
}

extension [MetaArray] {
  /// The first key that is missing from `others`.
  fileprivate func key(missingFrom others: [MetaArray]) -> String? {
    first { array in !others.contains { $0.key == array.key } }?.key
  }
}

extension ServiceError {
  fileprivate static func noMetaArrayKey(_ key: String) -> ServiceError {
    ServiceError(
      .notFound, "the message has no key '\(key)': set 'upsert' to have it made",
      field: "sorted_metaarray")
  }
}

extension Freshness {
  /// The value of `Cache-Control` that a service's answer carries; `nil` for no such field.
  var cacheControl: String? {
    switch self {
    case .unspecified: nil
    case .seconds(let seconds): "max-age=\(max(0, seconds))"
    case .unkept: "no-store"
    }
  }
}

extension Freshness {
  /// Reads the `Cache-Control` field of a service's answer.
  ///
  /// A failure that is not to be kept does not describe its page; of a preview it says that it
  /// may be another one the next time.
  init(serviceCacheControl field: String?, isFailure: Bool) {
    let control = CacheControl(field.map { [$0] } ?? [])
    if control.forbidsReuse {
      self = isFailure ? .unkept : .seconds(0)
    } else {
      self = control.lifetime.map { .seconds($0) } ?? .unspecified
    }
  }
}

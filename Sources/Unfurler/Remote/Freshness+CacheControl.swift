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
  /// What a service's `Cache-Control` says of its answer; what cannot be understood says nothing.
  init(serviceCacheControl field: String?) {
    let directives = (field ?? "").lowercased().split(separator: ",").prefix(16).map { directive in
      directive.filter { $0 != " " && $0 != "\t" }
    }
    if directives.contains("no-store") {
      self = .unkept
    } else if let age = directives.lazy.compactMap(Self.maximumAge).first {
      self = .seconds(age)
    } else {
      self = .unspecified
    }
  }

  private static func maximumAge(_ directive: String) -> Int64? {
    let name = "max-age="
    guard directive.hasPrefix(name) else { return nil }
    let digits = directive.dropFirst(name.count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    // RFC 9111 §1.2.2: more than can be represented is as long as can be.
    return Int64(digits) ?? .max
  }
}

internal import Basics

/// The form of user ids.
package enum UserID {
  /// Refuses ids that are not 1 to 80 characters long, and invisible characters, with which two ids look
  /// alike or the surrounding text changes.
  ///
  /// - Parameters:
  ///   - id: The id to check.
  ///   - field: The name of the field in the error.
  package static func check(_ id: String, _ field: String = "user_id") throws(ServiceError) {
    guard !id.isEmpty else { throw .missing(field) }
    guard id.utf8.count <= Limits.userIDLength || id.unicodeScalars.count <= Limits.userIDLength
    else { throw .userIDTooLong(field) }
    for scalar in id.unicodeScalars where scalar.isUnseen {
      throw .character(
        scalar, in: field, allowed: "all but control characters and invisible characters")
    }
  }

  /// Whether a user with that id may exist in the store: earlier, only control characters were refused.
  package static func mayExist(_ id: String) -> Bool {
    !id.isEmpty && id.unicodeScalars.count <= Limits.userIDLength
      && !id.unicodeScalars.contains(where: \.isControl)
  }
}

/// The form of channel URLs.
package enum ChannelURL {
  /// Refuses URLs that are not 4 to 100 characters of `[A-Za-z0-9_-]`.
  ///
  /// - Parameters:
  ///   - url: The URL to check.
  ///   - field: The name of the field in the error.
  package static func check(
    _ url: String, _ field: String = "channel_url"
  ) throws(ServiceError) {
    guard !url.isEmpty else { throw .missing(field) }
    for scalar in url.unicodeScalars where !isAllowed(scalar) {
      throw .character(scalar, in: field, allowed: "A-Z, a-z, 0-9, '_' and '-'")
    }
    let lengths = Limits.channelURLLengths
    guard url.utf8.count <= lengths.upperBound else {
      throw .tooLong(field, limit: lengths.upperBound)
    }
    guard url.utf8.count >= lengths.lowerBound else {
      throw .invalid(field, url, expected: "at least \(lengths.lowerBound) characters")
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "_", "-": true
    default: false
    }
  }
}

/// The form of the language tags of translations: `es`, `pt-BR`, `zh-Hant`.
package enum LanguageTag {
  /// Refuses a text without the form of an RFC 5646 tag: subtags of 1 to 8 letters or digits separated
  /// by hyphens, the first of 2 to 8 letters.
  package static func check(_ tag: String, _ field: String) throws(ServiceError) {
    let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let language = subtags.first, (2...8).contains(language.count),
      language.allSatisfy(isLetter),
      subtags.dropFirst().allSatisfy({ subtag in
        (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || isDigit($0) }
      })
    else { throw .invalid(field, tag, expected: "a language tag such as es or pt-BR") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension Fields {
  /// Optional target languages of translations: at most 10 tags, without duplicates, ignoring case.
  package func languages(_ name: String) throws(ServiceError) -> [String]? {
    let texts = try texts(
      name, countLimit: Limits.languageCount, limit: Limits.languageTagLength)
    guard let texts else { return nil }
    var tags: [String] = []
    for tag in texts {
      try LanguageTag.check(tag, name)
      if !tags.contains(where: { $0.lowercased() == tag.lowercased() }) { tags.append(tag) }
    }
    return tags
  }
}

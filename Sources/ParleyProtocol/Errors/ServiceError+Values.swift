internal import Basics

/// Refusals of a parameter's value (400100–400151, 400203, 400305).
extension ServiceError {
  /// A string is expected.
  package static func notString(_ field: String) -> ServiceError {
    ServiceError(.stringExpected, "'\(field)' must be a string", field: field)
  }

  /// A number is expected.
  package static func notNumber(_ field: String) -> ServiceError {
    ServiceError(.numberExpected, "'\(field)' must be a number", field: field)
  }

  /// A list is expected.
  package static func notList(_ field: String) -> ServiceError {
    ServiceError(.listExpected, "'\(field)' must be a list", field: field)
  }

  /// A JSON object is expected.
  package static func notObject(_ field: String) -> ServiceError {
    ServiceError(.jsonExpected, "'\(field)' must be a JSON object", field: field)
  }

  /// A list of JSON objects is expected, and an element is something else.
  package static func notObjects(_ field: String) -> ServiceError {
    ServiceError(.jsonExpected, "'\(field)' must be a list of JSON objects", field: field)
  }

  /// A boolean is expected.
  package static func notBoolean(_ field: String) -> ServiceError {
    ServiceError(.booleanExpected, "'\(field)' must be true or false", field: field)
  }

  /// A required parameter is missing, or empty where a text is required.
  package static func missing(_ field: String) -> ServiceError {
    ServiceError(
      .missingParameter, "'\(field)' is required and may not be empty", field: field)
  }

  /// A number may not be negative.
  package static func negative(_ field: String, _ value: Int64) -> ServiceError {
    ServiceError(
      .negativeNumber, "'\(field)' is \(value); it may not be negative", field: field)
  }

  /// A text is longer than allowed.
  package static func tooLong(
    _ field: String, limit: Int, unit: LengthUnit = .characters
  ) -> ServiceError {
    ServiceError(
      .tooLong, "'\(field)' is longer than \(limit) \(unit.rawValue)",
      data: ErrorDetails(field: field, limit: Int64(limit)))
  }

  /// A resource is too large as JSON for an event; `field` is its largest part.
  package static func tooLarge(
    _ resource: String, byteCount: Int, limit: Int, field: String
  ) -> ServiceError {
    ServiceError(
      .tooLong,
      "the \(resource) takes \(byteCount) bytes as JSON, most of them for '\(field)'; "
        + "at most \(limit) are expected, escapes included",
      data: ErrorDetails(field: field, limit: Int64(limit)))
  }

  /// The values of a parameter are together longer than allowed.
  package static func tooLongTogether(
    _ field: String, byteCount: Int, limit: Int
  ) -> ServiceError {
    ServiceError(
      .tooLong,
      "'\(field)' holds \(byteCount) bytes, all keys and values together; "
        + "at most \(limit) are expected",
      data: ErrorDetails(field: field, limit: Int64(limit)))
  }

  /// A user's id is longer than allowed.
  package static func userIDTooLong(_ field: String) -> ServiceError {
    ServiceError(
      .userIDTooLong, "'\(field)' is longer than \(Limits.userIDLength) characters",
      data: ErrorDetails(field: field, limit: Int64(Limits.userIDLength)))
  }

  /// A value is not one of those expected.
  package static func invalid(
    _ field: String, _ value: String, expected: String
  ) -> ServiceError {
    ServiceError(
      .invalidValue, "'\(field)' is \(DisplayText.excerpt(value)); \(expected) is expected",
      field: field)
  }

  /// A documented member asks for a feature that the server does not have.
  package static func unsupported(_ member: UnsupportedMember) -> ServiceError {
    ServiceError(
      .invalidValue, "'\(member.name)' is not supported: \(member.reason)", field: member.name)
  }

  /// A number is outside its range.
  package static func outOfRange(
    _ field: String, _ value: Int64, _ range: ClosedRange<Int64>
  ) -> ServiceError {
    ServiceError(
      .outOfRange,
      "'\(field)' is \(value); \(range.lowerBound) to \(range.upperBound) is expected",
      field: field)
  }

  /// A text contains a character that is not allowed.
  package static func character(
    _ scalar: Unicode.Scalar, in field: String, allowed: String
  ) -> ServiceError {
    let number = String(scalar.value, radix: 16, uppercase: true)
    return ServiceError(
      .characterNotAllowed, "'\(field)' holds the character U+\(number); allowed are \(allowed)",
      field: field)
  }

  /// A list or object has more items than allowed.
  package static func tooMany(_ field: String, limit: Int) -> ServiceError {
    ServiceError(
      .tooManyItems, "'\(field)' has more than \(limit) items",
      data: ErrorDetails(field: field, limit: Int64(limit)))
  }

  /// Only text messages of users are translated on demand.
  package static func untranslatable(_ type: MessageType) -> ServiceError {
    let words =
      switch type {
      case .user: "a user's"
      case .file: "a file"
      case .admin: "the administrator's"
      }
    return ServiceError(
      .invalidValue, "the message is \(words): only texts of users are translated on demand",
      field: "message_id")
  }

  /// The translator supports none of the languages.
  package static func unsupportedLanguages(_ languages: [String]) -> ServiceError {
    ServiceError(
      .invalidValue, "the translator has none of the languages of 'target_langs'",
      data: ErrorDetails(field: "target_langs", unsupported: languages))
  }

  /// Translations were requested on demand, but there is no translator.
  package static func noTranslator(_ field: String) -> ServiceError {
    ServiceError(.invalidValue, "'\(field)': this server has no translator", field: field)
  }
}

/// The unit in which a length is counted.
package enum LengthUnit: String, Sendable {
  case characters
  case bytes
}

extension ServiceError {
  /// A parameter cannot be combined with another.
  package static func notCombinable(_ field: String, _ reason: String) -> ServiceError {
    ServiceError(
      .combinationNotAcceptable, "'\(field)' is not acceptable here: \(reason)", field: field)
  }
}

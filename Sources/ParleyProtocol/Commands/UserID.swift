internal import Basics

/// The form of user ids.
package enum UserID {
  /// Refuses what is not 1 to 80 characters, none of them a control character.
  ///
  /// - Parameters:
  ///   - id: The name to judge.
  ///   - field: What the refusal calls it.
  package static func check(_ id: String, _ field: String = "user_id") throws(ServiceError) {
    guard !id.isEmpty else { throw .missing(field) }
    guard id.utf8.count <= Limits.userIDLength || id.unicodeScalars.count <= Limits.userIDLength
    else { throw .userIDTooLong(field) }
    for scalar in id.unicodeScalars where scalar.isControl {
      throw .character(scalar, in: field, allowed: "all but control characters")
    }
  }
}

internal import Basics

/// Text for people out of text of a page.
enum PreviewText {
  /// References decoded once, then cleaned and cut; `nil` when nothing is left.
  static func make(
    from source: String, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    let text = DisplayText.line(CharacterReferences.decode(source, in: context), limit: limit)
    return text.isEmpty ? nil : text
  }
}

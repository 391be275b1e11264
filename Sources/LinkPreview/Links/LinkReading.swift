/// What reading a text at one place came to.
struct LinkReading {
  /// `nil` when there is something that is no link and hides none.
  let url: WebURL?
  /// Where the text goes on.
  let end: Int
}

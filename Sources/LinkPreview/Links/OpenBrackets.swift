/// The square brackets that are open at a place of a text, and the link that was found in them.
///
/// In `[https://shown.com](https://target.com)` the click goes to the target, so a link between
/// brackets is held back until they are closed. Constant in size: of brackets nested more than 64
/// deep it is forgotten whether they belong to images.
struct OpenBrackets {
  /// What a closing bracket was the end of.
  enum Closing {
    /// No bracket was open.
    case nothing
    /// A bracket that was opened before the link that is held back, or while there is none.
    case enclosing
    /// A bracket that was opened behind the link that is held back.
    case later
  }

  private(set) var depth = 0
  /// A bit for each bracket, the innermost lowest: whether a `!` stands before it.
  private var images: UInt64 = 0
  private var held: (url: WebURL, depth: Int)?
  /// Whether the outermost bracket is the first character of its line.
  private(set) var beginsLine = false

  var isHolding: Bool { held != nil }

  mutating func open(at index: Int, in text: LinkText) {
    if depth == 0 { beginsLine = index == 0 || text[index - 1] == "\n" }
    depth += 1
    images = images << 1 | (text[index - 1] == "!" ? 1 : 0)
  }

  /// Closes the innermost bracket, and says what it was.
  mutating func close() -> (closing: Closing, isImage: Bool) {
    guard depth > 0 else { return (.nothing, false) }
    let isImage = images & 1 == 1
    images >>= 1
    defer { depth -= 1 }
    guard let held, depth > held.depth else { return (.enclosing, isImage) }
    return (.later, isImage)
  }

  /// Holds `url` back until it is known where a click on it goes.
  mutating func hold(_ url: WebURL) { if held == nil { held = (url, depth) } }

  /// Drops what is held back, since its brackets are a link to elsewhere.
  mutating func dropHeld() { held = nil }

  /// Hands out what is held back when no bracket around it is open any longer.
  mutating func release() -> WebURL? {
    guard let held else { return nil }
    guard depth > 0 else { return held.url }
    self.held = (held.url, min(held.depth, depth))
    return nil
  }

  /// Forgets all brackets, as the end of a paragraph does, and hands out what was held back.
  mutating func reset() -> WebURL? {
    defer { self = OpenBrackets() }
    return held?.url
  }
}

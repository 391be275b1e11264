/// A value of a page, not yet decoded, and the words for the place where it stood.
struct PageValue: Hashable {
  let text: HTMLText
  let place: String
}

/// What stands behind the host of a link: port, path, query and fragment.
enum LinkTail {
  /// Where the link ends whose host ends at `hostEnd`.
  static func end(afterHost hostEnd: Int, startOfLink start: Int, in text: LinkText) -> Int {
    let portEnd = portEnd(at: hostEnd, in: text)
    guard text[portEnd]?.beginsRest == true else {
      // A colon without digits belongs to the sentence.
      return text[portEnd - 1] == ":" ? hostEnd : portEnd
    }
    let runEnd = LinkRun.end(in: text, from: portEnd, startOfLink: start)
    let end = LinkEnd.trim(portEnd..<runEnd, in: text)
    return end == portEnd && text[portEnd - 1] == ":" ? hostEnd : end
  }

  private static func portEnd(at hostEnd: Int, in text: LinkText) -> Int {
    guard text[hostEnd] == ":" else { return hostEnd }
    return text.end(from: hostEnd + 1, while: \.isASCIIDigit)
  }
}

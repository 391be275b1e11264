/// The reason why libcurl, or a thread for it, is missing.
package struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ reason: String) { description = reason }
}

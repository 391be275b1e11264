/// The version of the form of messages between servers, which is their first byte.
///
/// It increases with each change of the form. Until the first release a server reads and writes this
/// version alone, and servers of two versions do not hear each other. From then on each program reads the
/// version before too, and writes to every server the highest that both know, on which links agree
/// already; what a version has written is recorded then, and read by a test for as long as it is known.
package enum MessageVersion {
  package static let current: UInt8 = 8
}

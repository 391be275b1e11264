/// The version of the encoding of messages between servers, which is their first byte.
///
/// It increases with each change of the encoding. Until the first release a server supports this version
/// only, and servers of two versions cannot exchange messages. From then on each program also reads the
/// previous version, and writes to every server the highest common version, as links already do; the
/// output of each version is recorded then, and a test reads it for as long as the version is supported.
package enum MessageVersion {
  package static let current: UInt8 = 17
}

internal import Glibc
internal import Reactor

extension Machine {
  /// Describes the machine of this process, as far as the system reports it.
  package static func current() -> Machine {
    var machine = Machine()
    var names = utsname()
    if uname(&names) == 0 {
      machine.host = text(of: names.nodename)
      machine.kernel =
        "\(text(of: names.sysname)) \(text(of: names.release)) \(text(of: names.machine))"
    }
    machine.processorCount = max(0, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    if let bytes = try? FileContents.read("/proc/cpuinfo", atMost: 65_536) {
      machine.processor = processor(in: String(decoding: bytes, as: UTF8.self))
    }
    return machine
  }

  /// Returns the text of a zero-terminated field of fixed length.
  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

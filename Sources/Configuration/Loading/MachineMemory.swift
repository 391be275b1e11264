internal import Glibc
internal import Reactor

/// The memory that the process may use.
package enum MachineMemory {
  /// The memory of the machine, or the limit of the process's control group if that is lower, in bytes.
  package static var byteCount: Int {
    let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return controlGroup(read: read).map { min($0, machine) } ?? machine
  }

  /// The limit of the process's control group and its ancestors, versions 2 and 1.
  ///
  /// - Parameter read: Returns the contents of a small file; `nil` if it does not exist.
  static func controlGroup(read: (String) -> String?) -> Int? {
    var limits: [Int] = []
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let path = parts[2] == "/" ? "" : String(parts[2])
      if parts[0] == "0" {
        limits += ancestors(of: path).compactMap { limit("/sys/fs/cgroup\($0)/memory.max", read) }
      } else if parts[1].split(separator: ",").contains("memory") {
        limits += ancestors(of: path).compactMap {
          limit("/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes", read)
        }
      }
    }
    return limits.min()
  }

  /// A path and its ancestors: in a container the root is the container's own group.
  private static func ancestors(of path: String) -> [String] {
    let names = path.split(separator: "/")
    return (0...names.count).map { names.prefix($0).reduce("") { "\($0)/\($1)" } }
  }

  private static func limit(_ path: String, _ read: (String) -> String?) -> Int? {
    guard let text = read(path)?.split(separator: "\n").first else { return nil }
    return Int(text).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func read(_ path: String) -> String? {
    let bytes = try? FileContents.read(path, atMost: 1_048_576)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}

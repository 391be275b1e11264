import Foundation
import TestSupport

/// Things that the work on thumbnails could leave behind.
enum Traces {
  static var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// Whether all processes of a program that run now end soon.
  ///
  /// Those that are killed take a moment, and tests beside this one may start others.
  static func vanish(_ name: String) async -> Bool {
    let seen = Set(processes(named: name))
    let wait: Void? = try? await Deadline.standard.wait(for: "the end of processes") {
      seen.isDisjoint(with: processes(named: name))
    }
    return wait != nil
  }

  /// The processes below this one whose program has a name, of which the kernel keeps 15 characters.
  private static func processes(named name: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var parents: [String: String] = [:]
    var names: [String: String] = [:]
    for id in all where Int(id) != nil {
      guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        let open = status.firstIndex(of: "("), let close = status.lastIndex(of: ")")
      else { continue }
      names[id] = String(status[status.index(after: open)..<close])
      parents[id] = status[close...].split(separator: " ").dropFirst(2).first.map(String.init)
    }
    let own = String(getpid())
    return names.filter { $0.value == name && isBelow($0.key, own, parents) }.map(\.key)
  }

  private static func isBelow(
    _ id: String, _ ancestor: String, _ parents: [String: String]
  ) -> Bool {
    // A process whose parents are gone belongs to the first one, and could be ours.
    if parents[id] == "1" { return true }
    var id = id
    while let parent = parents[id] {
      if parent == ancestor { return true }
      id = parent
    }
    return false
  }
}

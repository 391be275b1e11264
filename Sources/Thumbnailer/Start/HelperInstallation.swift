internal import Glibc
internal import Reactor
internal import Thumbnails

/// The path of `parley-thumbnail`, and whether it runs in bubblewrap.
package struct HelperInstallation: Sendable, Hashable {
  package let helper: String
  /// The path of `bwrap`; `nil` if it is not used.
  package var bubblewrap: String?
  /// The directories of the program's own libraries, in addition to the system's.
  package var libraries: [String]

  package init(helper: String, bubblewrap: String? = nil, libraries: [String] = []) {
    self.helper = helper
    self.bubblewrap = bubblewrap
    self.libraries = libraries
  }

  /// Returns the path to start, and its arguments.
  func commandLine(of command: HelperCommand) -> (path: String, arguments: [String]) {
    guard let bubblewrap else { return (helper, command.arguments) }
    let paths = [helper] + libraries + command.programs.paths
    return (bubblewrap, Self.namespaces(with: paths) + ["--", helper] + command.arguments)
  }

  /// Returns options for separate namespaces of all kinds, with a file system that contains only
  /// libraries and programs.
  private static func namespaces(with paths: [String]) -> [String] {
    ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"]
      + systemDirectories
      + ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc"]
      // Debian's links to libraries with alternatives go through this directory.
      + ["--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]
      + ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
      // Paths below /usr are already bound.
      + paths.filter { !$0.hasPrefix("/usr/") }.flatMap { ["--ro-bind", $0, $0] }
      + ["--chdir", "/"]
  }

  /// `/usr`, and its parts outside of it: links to it, on most systems.
  private static var systemDirectories: [String] {
    ["--ro-bind", "/usr", "/usr"]
      + ["/lib", "/lib64", "/bin"].flatMap { path in
        if let target = Kernel.linkTarget(path) { return ["--symlink", target, path] }
        return ["--ro-bind-try", path, path]
      }
  }
}

/// Finds the programs of this machine.
package struct ProgramSearch: Sendable {
  private let directories: [String]

  package init(directories: [String] = ["/usr/local/bin", "/usr/bin", "/bin"]) {
    self.directories = directories
  }

  /// - Returns: The path of an executable program; `nil` if there is none.
  package func find(_ name: String) -> String? {
    directories.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

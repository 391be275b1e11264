import Testing

@testable import Configuration

@Suite("Memory of the machine")
struct MachineMemoryTests {
  private func limit(_ files: [String: String]) -> Int? {
    MachineMemory.controlGroup { files[$0] }
  }

  @Test("the smallest limit of the cgroup and its ancestors applies, in version 2")
  func version2() {
    let files = [
      "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
      "/sys/fs/cgroup/a/memory.max": "2000\n", "/sys/fs/cgroup/memory.max": "3000\n",
    ]
    #expect(limit(files) == 2000)
  }

  @Test("a version 1 cgroup is found")
  func version1() {
    let files = [
      "/proc/self/cgroup": "5:cpu,memory:/x\n3:pids:/\n",
      "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4096\n",
    ]
    #expect(limit(files) == 4096)
  }

  @Test("without a cgroup, or with an unlimited or unreadable one, there is no limit")
  func none() {
    #expect(limit([:]) == nil)
    #expect(limit(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"]) == nil)
    #expect(limit(["/proc/self/cgroup": "nonsense"]) == nil)
    #expect(MachineMemory.byteCount > 0)
  }
}

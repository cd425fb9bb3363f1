// Never built: only the files that hold the resource definitions are read.
module kneepoint.test/kubernetes-schemas

go 1.24.0

require github.com/kubeflow/mpi-operator v0.6.0
require sigs.k8s.io/kueue v0.14.0

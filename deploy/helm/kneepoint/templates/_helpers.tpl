{{- /* Labels that never change: a Deployment's selector can't. */ -}}
{{- define "kneepoint.selector" -}}
app.kubernetes.io/name: kneepoint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kneepoint.labels" -}}
{{ include "kneepoint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* Name of all that belongs to the controller; its folder has it too, and by that its Jobs. */ -}}
{{- define "kneepoint.controller" -}}
{{ .Release.Name }}-controller
{{- end }}

{{- define "kneepoint.runs" -}}
matchLabels:
  app.kubernetes.io/managed-by: kneepoint
matchExpressions:
  - {key: kneepoint.io/controller, operator: Exists}
{{- end }}

{{- define "kneepoint.podLabels" -}}
{{ include "kneepoint.selector" . }}
app.kubernetes.io/component: controller
{{- end }}

{{- /* What all pods of ours have in common. */ -}}
{{- define "kneepoint.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.controller.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.controller.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.controller.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.controller.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "kneepoint.image" -}}
image: "{{ .Values.controller.image.repository }}:{{ .Values.controller.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.controller.image.pullPolicy }}
{{- end }}

{{- define "kneepoint.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
